<?php

declare(strict_types=1);

/*
 * All that came with the request, so that one answer can be told from another. ?ms=<n> sleeps before it is read.
 */

require_once __DIR__ . '/include/json_reply.php';

usleep(1000 * max(0, (int) ($_GET['ms'] ?? 0)));

$body = (string) file_get_contents('php://input');

json_reply([
    'method' => $_SERVER['REQUEST_METHOD'],
    'uri' => $_SERVER['REQUEST_URI'],
    'protocol' => $_SERVER['SERVER_PROTOCOL'],
    'query' => $_GET,
    'post' => $_POST,
    'cookies' => $_COOKIE,
    'headers' => getallheaders(),
    'content_type' => $_SERVER['CONTENT_TYPE'] ?? '',
    'length' => strlen($body),
    'sha256' => hash('sha256', $body),
]);
