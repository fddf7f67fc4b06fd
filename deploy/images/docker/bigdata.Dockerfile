# Clients of Hadoop, Hive and Spark.
#
#   docker build -f deploy/images/docker/bigdata.Dockerfile \
#     --build-arg BASE=registry.example/goblinlab/base:1 \
#     -t registry.example/data/bigdata:1 .
#
# MIRROR may name a mirror of Apache's archive. Each archive is checked against the
# sum beside it. The cluster's configuration is mounted at HADOOP_CONF_DIR and
# HIVE_CONF_DIR. Spark's driver is reached at the ports that the platform names in
# SPARK_DRIVER_PORT, SPARK_DRIVER_BLOCKMANAGER_PORT and SPARK_UI_PORT.
ARG BASE=goblinlab/base:1
ARG JAVA=17

FROM eclipse-temurin:${JAVA}-jre AS java

FROM ${BASE} AS clients
ARG MIRROR=https://archive.apache.org/dist
ARG HADOOP=3.4.1
ARG HIVE=4.0.1
ARG SPARK=3.5.6
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
COPY deploy/images/docker/apache.sh /usr/local/bin/apache
RUN sh /usr/local/bin/apache "${MIRROR}/hadoop/common/hadoop-${HADOOP}/hadoop-${HADOOP}.tar.gz" sha512 /opt/hadoop \
	&& sh /usr/local/bin/apache "${MIRROR}/hive/hive-${HIVE}/apache-hive-${HIVE}-bin.tar.gz" sha256 /opt/hive \
	&& sh /usr/local/bin/apache "${MIRROR}/spark/spark-${SPARK}/spark-${SPARK}-bin-without-hadoop.tgz" sha512 /opt/spark \
	&& rm -rf /opt/hadoop/share/doc /opt/spark/examples /opt/spark/data

FROM ${BASE}
COPY --from=java /opt/java/openjdk /opt/java
COPY --from=clients /opt/hadoop /opt/hadoop
COPY --from=clients /opt/hive /opt/hive
COPY --from=clients /opt/spark /opt/spark
COPY deploy/images/docker/spark-env.sh /opt/spark/conf/spark-env.sh
RUN pip install --no-cache-dir "py4j==0.10.9.7" pyhive thrift
ENV JAVA_HOME=/opt/java HADOOP_HOME=/opt/hadoop HIVE_HOME=/opt/hive SPARK_HOME=/opt/spark \
	HADOOP_CONF_DIR=/etc/hadoop/conf HIVE_CONF_DIR=/etc/hive/conf PYTHONPATH=/opt/spark/python \
	PATH=/opt/hadoop/bin:/opt/hive/bin:/opt/spark/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
