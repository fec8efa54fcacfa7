<?php
echo include 'sub/part.php', "\n";
echo (include './sub/missing.php') === false ? "missing\n" : "found\n";
echo getcwd() === __DIR__ ? "not moved\n" : "elsewhere\n";
