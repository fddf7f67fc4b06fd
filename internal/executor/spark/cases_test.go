package spark_test

var variants = []string{
	`{"imageId":"img-1","submit":"/usr/bin/spark-submit","master":"k8s://https://10.0.0.1:6443","deployMode":"client","application":"/opt/a.py","conf":{"spark.b":"x y","spark.a":"${yyyyMMdd}"},"resources":{"cpu":"1","memory":"1Gi"}}`,
}

var wrong = map[string][]string{
	`{"imageId":"i","master":"yarn","application":"--conf","class":"1","deployMode":"x","conf":{"hadoop.x":"s3cret","spark.a":1},"resources":{"cpu":"1","memory":"1Gi"}}`: {
		"deployMode shape.choice", "conf.hadoop.x shape.key", "conf.spark.a shape.type",
		"master executor.spark.master", "application executor.spark.application", "class executor.class",
	},
}
