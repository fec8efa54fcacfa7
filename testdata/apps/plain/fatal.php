<?php

declare(strict_types=1);

/*
 * Errors that end the script and cannot be caught.
 *
 *   ?kind=compile   a class declared twice (default)
 *   ?kind=user      trigger_error(E_USER_ERROR)
 *   ?kind=time      the time limit of one second
 *   ?after=1        prints a line before it, ?after=flush also flushes it
 */

if (isset($_GET['after'])) {
    echo "before the fatal error\n";
    if ($_GET['after'] === 'flush') {
        if (ob_get_level() > 0) {
            ob_flush();
        }
        flush();
    }
}

switch ($_GET['kind'] ?? 'compile') {
    case 'user':
        trigger_error('raised by fatal.php', E_USER_ERROR);
        break;
    case 'time':
        set_time_limit(1);
        while (true) {
            hash('sha256', 'burn');
        }
        // no break: the loop above only ends with the script
    default:
        eval('class DeclaredTwice {} class DeclaredTwice {}');
}
