<?php

declare(strict_types=1);

return [
    'file' => 'The :attribute must be a file.',
    'integer' => 'The :attribute must be an integer.',
    'max' => [
        'string' => 'The :attribute must not be greater than :max characters.',
    ],
    'required' => 'The :attribute field is required.',
    'string' => 'The :attribute must be a string.',
    'uploaded' => 'The :attribute failed to upload.',
    'attributes' => [],
];
