module github.com/hathi-server/hathi/bench

go 1.26
