<?php
function preloaded_binary(): string
{
    return PHP_BINARY;
}
