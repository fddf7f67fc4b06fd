//go:build ignore

// Command entc generates the data layer from schema/ with the few features that GoblinLab uses.
package main

import (
	"log"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

func main() {
	err := entc.Generate("./schema", &gen.Config{
		Features: []gen.Feature{gen.FeaturePrivacy, gen.FeatureLock, gen.FeatureVersionedMigration},
	}, entc.TemplateDir("./template"))
	if err != nil {
		log.Fatal("ent: ", err)
	}
}
