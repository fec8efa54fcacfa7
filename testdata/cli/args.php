<?php
var_dump($argc, $argv, $_SERVER['argc'] === $argc, $_SERVER['argv'] === $argv);
