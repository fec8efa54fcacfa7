<?php

declare(strict_types=1);

/*
 * An exception that nobody catches. ?after=1 prints a line before it.
 */

if (isset($_GET['after'])) {
    echo "before the exception\n";
}

throw new RuntimeException('thrown by exception.php');
