<?php

declare(strict_types=1);

namespace App;

use Illuminate\Foundation\Application as BaseApplication;
use Illuminate\Support\Env;
use RuntimeException;

/**
 * Laravel's application with everything that it writes outside the checkout, which may be read-only.
 */
final class Application extends BaseApplication
{
    /** Told here, or Laravel looks for it in a composer.json. */
    protected $namespace = 'App\\';

    private function __construct(string $basePath, string $storagePath)
    {
        // Before the parent, whose constructor already asks for the cached package manifest.
        $this->storagePath = $storagePath;
        parent::__construct($basePath);
    }

    public static function fromEnvironment(string $basePath): self
    {
        $storagePath = Env::get('APP_STORAGE_DIR') ?? self::temporaryDir($basePath);
        foreach (['bootstrap', 'cache', 'sessions', 'views'] as $part) {
            $dir = $storagePath . '/' . $part;
            if (!is_dir($dir) && !@mkdir($dir, 0700, true) && !is_dir($dir)) {
                throw new RuntimeException(sprintf('Cannot create "%s"; set APP_STORAGE_DIR to a writable directory.', $dir));
            }
        }

        return new self($basePath, $storagePath);
    }

    protected function normalizeCachePath($key, $default): string
    {
        return Env::get($key) ?? $this->storagePath() . '/bootstrap/' . basename($default);
    }

    /**
     * A directory of this user for this checkout.
     *
     * It holds PHP code that will be run. The temporary directory is open to everybody, so a directory that somebody
     * else made under the same name is refused.
     */
    private static function temporaryDir(string $basePath): string
    {
        $user = function_exists('posix_geteuid') ? posix_geteuid() : getmyuid();
        $dir = sys_get_temp_dir() . '/hathi-laravel-' . substr(hash('sha256', $user . $basePath), 0, 16);

        if (!is_dir($dir) && !@mkdir($dir, 0700) && !is_dir($dir)) {
            throw new RuntimeException(sprintf('Cannot create "%s"; set APP_STORAGE_DIR to a writable directory.', $dir));
        }
        if (fileowner($dir) !== $user) {
            throw new RuntimeException(sprintf('"%s" belongs to another user; set APP_STORAGE_DIR.', $dir));
        }

        return $dir;
    }
}
