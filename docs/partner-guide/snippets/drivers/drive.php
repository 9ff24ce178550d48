<?php

require __DIR__ . '/verify.php';

$apiKey = getenv('API_KEY');
while (($line = fgets(STDIN)) !== false) {
    $fields = explode("\t", rtrim($line, "\n"));
    if ($fields[0] === 'token') {
        echo verifyToken($apiKey, $fields[1], (int) $fields[2], $fields[3]), "\n";
        continue;
    }
    $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    $headers = array_filter(array_combine($names, array_slice($fields, 1, 3)), fn ($value) => $value !== '-');
    echo verify($apiKey, $headers, base64_decode($fields[4])), "\n";
}
