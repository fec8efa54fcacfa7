<?php

declare(strict_types=1);

/*
 * A status, several cookies and headers. ?status=<code> sets the status (default 201), ?location=<url> a redirect.
 */

http_response_code((int) ($_GET['status'] ?? 201));
header('Content-Type: text/plain; charset=utf-8');
header('X-Hathi-Test: one');
header('X-Hathi-Test: two');
header('X-Hathi-Many: a');
header('X-Hathi-Many: b', replace: false);
setcookie('plain', 'value with spaces');
setcookie('options', 'x=y', ['expires' => 2_000_000_000, 'path' => '/', 'httponly' => true, 'samesite' => 'Strict']);
// A cookie line written by hand must reach the client byte for byte.
header('Set-Cookie: raw=a%20b; Path=/; Secure', replace: false);

if (isset($_GET['location'])) {
    header('Location: ' . $_GET['location'], response_code: (int) ($_GET['status'] ?? 302));
}

echo "headers\n";
