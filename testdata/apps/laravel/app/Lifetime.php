<?php

declare(strict_types=1);

namespace App;

use Illuminate\Support\Env;

/**
 * How long this application lives: one request in classic mode, many in worker mode.
 *
 * Static on purpose. It describes the process, so it has to survive whatever is reset between two requests.
 */
final class Lifetime
{
    private static bool $worker = false;
    private static int $boots = 1;
    private static int $requests = 0;
    private static ?string $shutdownFile = null;

    /**
     * Notes a boot: one more line in the file that BOOT_COUNTER names.
     */
    public static function begin(bool $worker): void
    {
        self::$worker = $worker;
        self::$shutdownFile = Env::get('SHUTDOWN_FILE');

        $bootCounter = Env::get('BOOT_COUNTER');
        if ($bootCounter !== null) {
            self::appendLine($bootCounter);
            self::$boots = count(file($bootCounter) ?: []);
        }
    }

    public static function beginRequest(): void
    {
        ++self::$requests;
    }

    /**
     * Notes an orderly end: one more line in the file that SHUTDOWN_FILE names.
     */
    public static function end(): void
    {
        if (self::$shutdownFile !== null) {
            self::appendLine(self::$shutdownFile);
        }
    }

    /**
     * @return array{mode: string, boots: int, requests: int, pid: int}
     */
    public static function describe(): array
    {
        return [
            'mode' => self::$worker ? 'worker' : 'classic',
            'boots' => self::$boots,
            'requests' => self::$requests,
            'pid' => (int) getmypid(),
        ];
    }

    private static function appendLine(string $file): void
    {
        file_put_contents($file, getmypid() . "\n", FILE_APPEND | LOCK_EX);
    }
}
