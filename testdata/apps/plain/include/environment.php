<?php

declare(strict_types=1);

/**
 * Reads a variable that the server or its environment set, or null.
 *
 * $_SERVER comes first: that is where PHP-FPM's fastcgi_param and the server's `env` directive arrive. Request headers
 * cannot forge one, they always carry the HTTP_ prefix.
 */
function environment(string $name): ?string
{
    $value = $_SERVER[$name] ?? getenv($name);

    return is_string($value) && $value !== '' ? $value : null;
}
