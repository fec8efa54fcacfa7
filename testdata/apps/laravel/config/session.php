<?php

declare(strict_types=1);

return [
    'driver' => 'file',
    'files' => env('SESSION_DIR', storage_path('sessions')),
    'lifetime' => 120,
    'expire_on_close' => false,
    'encrypt' => false,
    'lottery' => [2, 100],
    'cookie' => 'hathi_laravel',
    'path' => '/',
    'domain' => null,
    'secure' => null,
    'http_only' => true,
    'same_site' => 'lax',
];
