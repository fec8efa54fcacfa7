<?php

declare(strict_types=1);

namespace App\View;

use Illuminate\Filesystem\Filesystem;

/**
 * The file system that Blade compiles into.
 *
 * Laravel writes a compiled view in place, so that another process can include one that is still empty: with a cold
 * cache and parallel requests visitors get blank pages. Here it is written aside and renamed.
 */
final class CompiledViewFiles extends Filesystem
{
    public function put($path, $contents, $lock = false): int
    {
        $this->replace($path, $contents);

        return strlen($contents);
    }
}
