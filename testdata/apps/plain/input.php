<?php

declare(strict_types=1);

/*
 * The raw body: its size and digest, read twice to show that php://input can be opened again.
 * ?echo=1 sends the bytes back instead.
 */

require_once __DIR__ . '/include/json_reply.php';

$body = (string) file_get_contents('php://input');

if (isset($_GET['echo'])) {
    header('Content-Type: application/octet-stream');
    echo $body;

    return;
}

json_reply([
    'method' => $_SERVER['REQUEST_METHOD'],
    'length' => strlen($body),
    'sha256' => hash('sha256', $body),
    'same_when_read_again' => $body === file_get_contents('php://input'),
]);
