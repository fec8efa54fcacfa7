<?php

declare(strict_types=1);

/*
 * ?lines=<n> numbered lines (default 1000) of exactly 100 bytes, each with ?id=.
 */

header('Content-Type: text/plain');

$id = (string) ($_GET['id'] ?? '');
$lines = max(0, (int) ($_GET['lines'] ?? 1000));

for ($i = 1; $i <= $lines; ++$i) {
    echo str_pad("{$i} {$id} ", 99, '.'), "\n";
}
