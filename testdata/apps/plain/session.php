<?php

declare(strict_types=1);

/*
 * A counter in PHP's own file session.
 *
 *   ?hold=<ms>  keeps the session open, and so locked, for that long
 *   ?exit=1     leaves by exit() while the session is still open
 */

require_once __DIR__ . '/include/environment.php';
require_once __DIR__ . '/include/json_reply.php';

$directory = environment('SESSION_DIR');
if ($directory !== null) {
    if (!is_dir($directory)) {
        @mkdir($directory, 0700, true);
    }
    session_save_path($directory);
}

session_start(['use_strict_mode' => true, 'cookie_httponly' => true, 'cookie_samesite' => 'Lax']);

$_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
usleep(1000 * max(0, (int) ($_GET['hold'] ?? 0)));

json_reply(['id' => session_id(), 'count' => $_SESSION['count'], 'pid' => getmypid()]);

if (isset($_GET['exit'])) {
    exit;
}

// Frees the lock as soon as the work is done: a second request of this visitor need not wait for the output.
session_write_close();
