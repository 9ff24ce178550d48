import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static java.nio.charset.StandardCharsets.UTF_8;

public final class Drive {
    public static void main(String[] args) throws Exception {
        String apiKey = System.getenv("API_KEY");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] fields = line.split("\t", -1);
            if (fields[0].equals("token")) {
                System.out.println(Verify.verifyToken(apiKey, fields[1], Long.parseLong(fields[2]), fields[3]));
                continue;
            }
            Map<String, String> headers = new HashMap<>();
            int field = 1;
            for (String name : List.of("webhook-id", "webhook-timestamp", "webhook-signature")) {
                if (!fields[field].equals("-")) headers.put(name, fields[field]);
                field++;
            }
            System.out.println(Verify.verify(apiKey, headers, Base64.getDecoder().decode(fields[4])));
        }
    }
}
