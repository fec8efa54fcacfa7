<?php
foreach (['PHP_SELF', 'SCRIPT_NAME', 'SCRIPT_FILENAME', 'PATH_TRANSLATED', 'DOCUMENT_ROOT'] as $key) {
    echo $key, ' = ', var_export($_SERVER[$key] ?? null, true), "\n";
}
var_dump(__FILE__ === realpath($_SERVER['SCRIPT_FILENAME'] ?: '.'));
var_dump(is_int($_SERVER['REQUEST_TIME']), is_float($_SERVER['REQUEST_TIME_FLOAT']));
var_dump(isset($_SERVER['REQUEST_METHOD']), $_SERVER['PATH'] === getenv('PATH'));
