<?php

// The least that a worker can do: what the server itself costs shows here.
while (frankenphp_handle_request(static function (): void {
    echo 'Hello World';
})) {
}
