<?php
class Last
{
    public function __destruct()
    {
        echo "destructor\n";
        exit(6);
    }
}
$last = new Last();
set_exception_handler(function (Throwable $e) {
    echo get_class($e), "\n";
    exit(9);
});
throw new LogicException();
