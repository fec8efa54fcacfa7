package worker

import (
	"slices"
	"strings"
)

// threadIndifferent are the extensions that behave the same whichever OS thread
// runs PHP: those of Debian's standard set, under test with a thread change forced
// at every resume. libxml2's state per thread, on which dom, xml, simplexml,
// xmlreader, xmlwriter, xsl and soap rely, is carried along by the engine.
var threadIndifferent = []string{
	"core", "date", "libxml", "openssl", "pcre", "zlib", "filter", "hash", "json", "random", "lexbor", "uri",
	"reflection", "spl", "session", "standard", "sodium", "frankenphp", "pdo", "xml",
	"calendar", "ctype", "curl", "dom", "exif", "ffi", "fileinfo", "ftp", "gd", "gettext",
	"iconv", "intl", "mbstring", "mysqlnd", "mysqli", "pdo_mysql", "pdo_pgsql", "pdo_sqlite",
	"pgsql", "phar", "posix", "readline", "shmop", "simplexml", "sockets", "soap", "sqlite3",
	"sysvmsg", "sysvsem", "sysvshm", "tokenizer", "xmlreader", "xmlwriter", "xsl", "zip",
	"bcmath", "bz2", "gmp", "apcu", "igbinary", "msgpack", "redis", "zend opcache", "pcntl",
}

// pinnedBy returns the loaded extensions because of which PHP keeps to one OS
// thread, empty when any thread will do. extensions is comma-separated.
func pinnedBy(extensions string) []string {
	var unknown []string
	for name := range strings.SplitSeq(extensions, ",") {
		if name != "" && !slices.Contains(threadIndifferent, strings.ToLower(name)) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
