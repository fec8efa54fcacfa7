<?php
echo "$argi: ", strtoupper($argn), "\n";
