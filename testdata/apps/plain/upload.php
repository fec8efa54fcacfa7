<?php

declare(strict_types=1);

/*
 * What arrived as file uploads. Each good file is also moved, as applications do, and the copy removed again.
 */

require_once __DIR__ . '/include/json_reply.php';

// $_FILES turns name[a][] inside out (['name' => ['a' => [...]], 'size' => ['a' => [...]]]): undo that.
$collect = static function (array|string $names, array|string $types, array|string $paths, array|int $errors, array|int $sizes, string $field) use (&$collect): array {
    if (is_array($names)) {
        $files = [];
        foreach ($names as $key => $name) {
            array_push($files, ...$collect($name, $types[$key], $paths[$key], $errors[$key], $sizes[$key], "{$field}[{$key}]"));
        }

        return $files;
    }

    $file = ['field' => $field, 'name' => $names, 'type' => $types, 'size' => $sizes, 'error' => $errors];
    if ($errors !== UPLOAD_ERR_OK) {
        return [$file];
    }

    $file['is_uploaded'] = is_uploaded_file($paths);
    $file['sha256'] = hash_file('sha256', $paths);
    $target = (string) tempnam(sys_get_temp_dir(), 'upload');
    $file['moved'] = move_uploaded_file($paths, $target);
    unlink($target);

    return [$file];
};

$files = [];
foreach ($_FILES as $field => $upload) {
    array_push($files, ...$collect($upload['name'], $upload['type'], $upload['tmp_name'], $upload['error'], $upload['size'], (string) $field));
}

json_reply(['post' => $_POST, 'files' => $files], $files === [] ? 400 : 200);
