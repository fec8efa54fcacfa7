<?php

declare(strict_types=1);

/**
 * Sends $data as the JSON body of the response.
 *
 * Bytes that are no UTF-8 are substituted rather than refused: these scripts echo whatever a client sent.
 */
function json_reply(mixed $data, int $status = 200): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode(
        $data,
        JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
    ), "\n";
}
