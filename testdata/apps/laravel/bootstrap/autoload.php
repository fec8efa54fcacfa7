<?php

declare(strict_types=1);

/*
 * Class loading without Composer: the framework from the distribution's packages, found on the include path, and App\
 * from app/.
 */

require_once 'Illuminate/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'App\\')) {
        $file = dirname(__DIR__) . '/app/' . strtr(substr($class, 4), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
