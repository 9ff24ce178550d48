package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	apiKey := os.Getenv("API_KEY")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if fields[0] == "token" {
			timestamp, _ := strconv.ParseInt(fields[2], 10, 64)
			fmt.Println(verifyToken(apiKey, fields[1], timestamp, fields[3]))
			continue
		}
		headers := map[string]string{}
		for i, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			if fields[i+1] != "-" {
				headers[name] = fields[i+1]
			}
		}
		header := func(name string) string { return headers[name] }
		body, _ := base64.StdEncoding.DecodeString(fields[4])
		fmt.Println(verify(apiKey, header, body))
	}
}
