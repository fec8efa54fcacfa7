<?php
echo "never";
if (
