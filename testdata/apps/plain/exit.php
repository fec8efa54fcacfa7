<?php

declare(strict_types=1);

/*
 * Leaves by exit() with output in a buffer and a shutdown function to run. ?status=<n> is the exit status (default 0).
 */

register_shutdown_function(static function (): void {
    echo "shutdown function\n";
});

http_response_code(202);
ob_start();
echo "before exit\n";

exit((int) ($_GET['status'] ?? 0));
