<?php

declare(strict_types=1);

namespace App;

use Illuminate\Support\Env;
use RuntimeException;

/**
 * The key that cookies are encrypted with.
 */
final class ApplicationKey
{
    /**
     * APP_KEY, or else a key made at the first use and kept in $file, so that no secret has to be in the checkout.
     */
    public static function read(string $file): string
    {
        return Env::get('APP_KEY') ?? self::stored($file) ?? self::create($file);
    }

    private static function stored(string $file): ?string
    {
        $key = is_file($file) ? file_get_contents($file) : false;

        return $key === false || $key === '' ? null : $key;
    }

    private static function create(string $file): string
    {
        $draft = (string) tempnam(dirname($file), 'key');
        file_put_contents($draft, 'base64:' . base64_encode(random_bytes(32)));
        // link() refuses when the name exists: of several processes that start together one wins, with a complete file.
        @link($draft, $file);
        unlink($draft);

        return self::stored($file) ?? throw new RuntimeException(sprintf('Cannot write the application key to "%s".', $file));
    }
}
