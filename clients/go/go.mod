module pawl.dev/client

go 1.22
