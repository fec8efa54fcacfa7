<?php

declare(strict_types=1);

namespace App;

use RuntimeException;

/**
 * What the application takes from the environment of its boot.
 *
 * Read once, when the kernel is made: in worker mode the super-globals belong to single requests afterwards.
 */
final class Environment
{
    public function __construct(
        public readonly string $name,
        public readonly bool $debug,
        public readonly string $cacheDir,
        public readonly string $sessionDir,
    ) {
    }

    public static function read(string $projectDir): self
    {
        $cacheDir = self::variable('APP_CACHE_DIR') ?? self::temporaryDir($projectDir);

        return new self(
            self::variable('APP_ENV') ?? 'prod',
            filter_var(self::variable('APP_DEBUG') ?? '0', FILTER_VALIDATE_BOOL),
            $cacheDir,
            self::variable('SESSION_DIR') ?? $cacheDir . '/sessions',
        );
    }

    /**
     * $_SERVER comes first: that is where PHP-FPM's fastcgi_param and the server's `env` directive arrive. Request
     * headers cannot forge a variable, they always carry the HTTP_ prefix.
     */
    public static function variable(string $name): ?string
    {
        $value = $_SERVER[$name] ?? getenv($name);

        return is_string($value) && $value !== '' ? $value : null;
    }

    /**
     * A directory of this user for this checkout, so that a read-only or shared checkout works.
     *
     * It holds PHP code that will be run. The temporary directory is open to everybody, so a directory that somebody
     * else made under the same name is refused.
     */
    private static function temporaryDir(string $projectDir): string
    {
        $user = function_exists('posix_geteuid') ? posix_geteuid() : getmyuid();
        $dir = sys_get_temp_dir() . '/hathi-symfony-' . substr(hash('sha256', $user . $projectDir), 0, 16);

        if (!is_dir($dir) && !@mkdir($dir, 0700) && !is_dir($dir)) {
            throw new RuntimeException(sprintf('Cannot create "%s"; set APP_CACHE_DIR to a writable directory.', $dir));
        }
        if (fileowner($dir) !== $user) {
            throw new RuntimeException(sprintf('"%s" belongs to another user; set APP_CACHE_DIR.', $dir));
        }

        return $dir;
    }
}
