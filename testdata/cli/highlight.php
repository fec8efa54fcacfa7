<?php
// a comment
function f(int $a): string { /* another */ return "x$a"; }
?>
<p>text</p>
