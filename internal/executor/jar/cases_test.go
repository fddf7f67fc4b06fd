package jar_test

var variants = []string{
	`{"imageId":"img-1","jar":"/opt/app.jar","args":["a b","$HOME"],"resources":{"cpu":"1","memory":"1Gi"}}`,
}

var wrong = map[string][]string{
	`{"imageId":"i","resources":{"cpu":"1","memory":"1Gi"}}`:                                                          {" shape.exactly"},
	`{"imageId":"i","jar":"a.jar","resources":{"cpu":"1","memory":"1Gi"},"mainClass":"a b","jvmOptions":["\u0000"]}`:  {"jar executor.jar", "mainClass executor.class", "args preflight.command.nul"},
	`{"imageId":"i","volume":{"volumeId":"v","path":"a/../b.jar"},"resources":{"cpu":"1","memory":"1Gi"}}`:            {"volume.path preflight.subpath.parent"},
	`{"imageId":"i","volume":{"volumeId":"v","path":"/b.jar"},"resources":{"cpu":"1","memory":"1Gi"},"jvmOption":[]}`: {"jvmOption shape.unknown", "volume.path executor.path"},
	`{"imageId":"i","volume":{"volumeId":"v","path":"a/"},"jar":"/a.jar","resources":{"cpu":"1","memory":"1Gi"}}`:     {" shape.exactly", "volume.path executor.path"},
}
