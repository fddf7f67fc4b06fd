# Read by Spark's programs: Hadoop's classes, and the ports at which executors
# reach a driver in an instance.
SPARK_DIST_CLASSPATH=$(hadoop classpath)
export SPARK_DIST_CLASSPATH
SPARK_SUBMIT_OPTS="${SPARK_SUBMIT_OPTS:-} ${SPARK_DRIVER_PORT:+-Dspark.driver.port=$SPARK_DRIVER_PORT} ${SPARK_DRIVER_BLOCKMANAGER_PORT:+-Dspark.driver.blockManager.port=$SPARK_DRIVER_BLOCKMANAGER_PORT} ${SPARK_UI_PORT:+-Dspark.ui.port=$SPARK_UI_PORT}"
export SPARK_SUBMIT_OPTS
