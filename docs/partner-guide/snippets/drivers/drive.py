import base64
import os
import sys

from verify import verify, verify_token

api_key = os.environ["API_KEY"]
for line in sys.stdin.read().splitlines():
    kind, *fields = line.split("\t")
    if kind == "token":
        print(verify_token(api_key, fields[0], int(fields[1]), fields[2]))
        continue
    names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    headers = {name: value for name, value in zip(names, fields) if value != "-"}
    print(verify(api_key, headers, base64.b64decode(fields[3])))
