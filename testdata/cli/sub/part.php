<?php
return basename(__FILE__) . " included";
