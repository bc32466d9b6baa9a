<?php
// Receives the webhooks of Standin: checks each signature, drops repetitions, prints each message. PHP 8.
//   WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:9000 docs/examples/webhook-receiver.php

$key = base64_decode(preg_replace('/^whsec_/', '', getenv('WEBHOOK_SECRET') ?: ''));
if ($key === '') {
    error_log('Set WEBHOOK_SECRET to the secret of the endpoint, which begins with whsec_');
    http_response_code(500);
    exit;
}
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$sent = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true));
// Several signatures while a secret is being rotated.
$given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
$matching = array_filter($given, fn ($one) => hash_equals($expected, $one));

if (!ctype_digit($sent) || abs(time() - (int) $sent) >= 300 || $matching === []) {
    error_log('Refused ' . ($id ?: 'a request without webhook-id') . ': wrong secret, or too old');
    http_response_code(401);
    exit;
}
http_response_code(204);

// In a real receiver: a table with a unique column. A file that exists already was received before.
$seen = sys_get_temp_dir() . '/standin-webhooks';
if (!is_dir($seen)) {
    mkdir($seen, 0700);
}
if (@fopen("$seen/" . sha1($id), 'x') === false) {
    exit;
}
['event' => $event, 'data' => $data] = json_decode($body, true);
$news = [
    'bot.status_change' => $data['status']['code'] ?? '',
    'bot.completed' => $data['video'] ?? '',
    'bot.failed' => $data['error_code'] ?? '',
];
file_put_contents('php://stdout', "$event {$data['bot_id']} " . ($news[$event] ?? '') . "\n");
