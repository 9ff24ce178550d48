using System;
using System.Collections.Generic;

public static class Drive
{
    public static void Main()
    {
        var apiKey = Environment.GetEnvironmentVariable("API_KEY")!;
        while (Console.ReadLine() is { } line)
        {
            var fields = line.Split('\t');
            if (fields[0] == "token")
            {
                Console.WriteLine(Webhook.VerifyToken(apiKey, fields[1], long.Parse(fields[2]), fields[3]));
                continue;
            }
            var headers = new Dictionary<string, string>();
            var names = new[] { "webhook-id", "webhook-timestamp", "webhook-signature" };
            for (var i = 0; i < names.Length; i++)
            {
                if (fields[i + 1] != "-") headers[names[i]] = fields[i + 1];
            }
            Console.WriteLine(Webhook.Verify(apiKey, headers, Convert.FromBase64String(fields[4])));
        }
    }
}
