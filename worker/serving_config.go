package worker

// servingConfig is what the master tells a serving process at its start.
type servingConfig struct {
	Slot     int      `json:"slot"`
	Scripts  []Script `json:"scripts"`
	BootHere bool     `json:"boot_here"` // the template could not boot the first script
	Pinned   bool     `json:"pinned"`
	Grace    int64    `json:"grace"` // when the master dies, in nanoseconds
	Payload  []byte   `json:"payload"`
}
