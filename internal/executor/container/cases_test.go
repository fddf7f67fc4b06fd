package container_test

var variants = []string{
	`{"imageId":"img-1","command":["true"],"resources":{"cpu":"500m","memory":"64Mi"}}`,
	`{"imageId":"img-1","command":["sh","-c","echo \"$1\"","sh","${param.x}"],"resources":{"cpu":"1","memory":"1Gi"}}`,
	`{"imageId":"img-1","command":["python","train.py"],"resources":{"cpu":"1","memory":"1Gi"},"code":{"volumeId":"vol-2","subPath":"project","freeze":true}}`,
}

var wrong = map[string][]string{
	`{}`: {"imageId shape.missing", "resources shape.missing", "command shape.missing"},
	``:   {"imageId shape.missing", "resources shape.missing", "command shape.missing"},
	`{"imageId":5,"command":[],"resources":{"cpu":4,"memory":"8Gb ","gpu":-1},"mounts":[{"volumeId":"v","path":"data"},{"volumeId":"v","path":"/${yyyy-MM-dd HH:mm}"}],"env":[{"name":"1","value":"s3cret"}]}`: {
		"imageId shape.type", "resources.cpu shape.type", "resources.gpu shape.range", "command shape.few",
		"resources.memory quantity.memory.unreadable", "mounts[0].path preflight.path.relative", "mounts[1].path preflight.path.character", "env[0].name preflight.env.name",
	},
	`{"imageId":"i","command":["a"],"resources":{"cpu":"${param.c}","memory":"0"},"mounts":[{"volumeId":"v","path":"${param.p}"},{"volumeId":"v","path":"/etc"}]}`: {
		"resources.memory quantity.memory.zero", "mounts[1].path preflight.path.system",
	},
	`{"imageId":"i","command":["a"],"resources":{"cpu":"1","memory":"1Gi"},"secrets":[{"secretId":"s","as":"files"}]}`:             {"secrets[0].as shape.choice"},
	`{"imageId":"i","command":["a"],"resources":{"cpu":"1","memory":"1Gi"},"code":{"volumeId":"v","freeze":true,"writable":true}}`: {"code.writable executor.freeze-writable"},
}
