<?php

declare(strict_types=1);

/*
 * Allocates until the memory limit stops it. ?limit=<shorthand> sets another limit first (default: php.ini's, or 64M).
 */

$limit = $_GET['limit'] ?? (ini_get('memory_limit') === '-1' ? '64M' : null);
if ($limit !== null) {
    ini_set('memory_limit', (string) $limit);
}

for ($blocks = [];;) {
    $blocks[] = str_repeat('x', 1 << 20);
}
