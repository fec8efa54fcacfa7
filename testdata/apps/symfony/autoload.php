<?php

declare(strict_types=1);

/*
 * Class loading without Composer: the framework from the distribution's packages, found on the include path, and App\
 * from src/.
 */

// The bundle requires its hard dependencies itself. What it only uses when present has to be named here.
require_once 'Symfony/Component/Security/Csrf/autoload.php';
require_once 'Symfony/Bundle/FrameworkBundle/autoload.php';
require_once 'Symfony/Bundle/TwigBundle/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'App\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, 4), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
