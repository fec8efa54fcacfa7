<?php

declare(strict_types=1);

return [
    'default' => 'sqlite',
    'connections' => [
        'sqlite' => [
            'driver' => 'sqlite',
            'database' => env('APP_DB', storage_path('notes.sqlite')),
            'prefix' => '',
            'foreign_key_constraints' => true,
            // Seconds to wait for another process that writes.
            'options' => [PDO::ATTR_TIMEOUT => 10],
        ],
    ],
];
