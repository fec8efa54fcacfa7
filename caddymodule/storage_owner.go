package caddymodule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/caddyserver/certmagic"

	"github.com/hathi-server/hathi/worker"
)

// giveStorage makes what the master, as root, has put into the certificate storage
// the property of the user that the serving processes become: they read and write
// it. It does nothing when they stay what the master is.
func giveStorage(storage certmagic.Storage, userName, groupName string) error {
	files, ok := storage.(*certmagic.FileStorage)
	if !ok {
		return nil
	}
	uid, gid, err := worker.Identity(userName, groupName)
	if err != nil || uid == os.Geteuid() {
		return err
	}
	if err := os.MkdirAll(files.Path, 0o700); err != nil {
		return fmt.Errorf("certificate storage: %w", err)
	}
	return filepath.WalkDir(files.Path, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = giveFile(path, uid, gid)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a lock comes and goes
			return fmt.Errorf("certificate storage: %w", err)
		}
		return nil
	})
}

// giveFile changes the owner of a file of root's. One that has other names could
// be anything that the user has linked there.
func giveFile(path string, uid, gid int) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid != 0 || !info.IsDir() && (!info.Mode().IsRegular() || stat.Nlink > 1) {
		return nil
	}
	return os.Lchown(path, uid, gid)
}

// unreachable returns the first directory on the way to the storage that a user may
// not enter, "" when there is none.
func unreachable(storage certmagic.Storage, userName, groupName string) string {
	files, ok := storage.(*certmagic.FileStorage)
	if !ok {
		return ""
	}
	uid, gid, err := worker.Identity(userName, groupName)
	if err != nil || uid == 0 {
		return ""
	}
	blocked := ""
	for dir := filepath.Dir(files.Path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok && !mayEnter(info.Mode(), int(stat.Uid), int(stat.Gid), uid, gid) {
				blocked = dir
			}
		}
		if dir == filepath.Dir(dir) {
			return blocked
		}
	}
}

// mayEnter decides about the permission to pass a directory.
func mayEnter(mode fs.FileMode, owner, group, uid, gid int) bool {
	switch {
	case owner == uid:
		return mode&0o100 != 0
	case group == gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}
