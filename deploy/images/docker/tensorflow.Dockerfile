# TensorFlow for CPUs or GPUs, in the version that is asked for.
#
#   docker build -f deploy/images/docker/tensorflow.Dockerfile \
#     --build-arg BASE=registry.example/goblinlab/base:1 \
#     --build-arg TENSORFLOW=2.19.1 --build-arg DEVICE=gpu \
#     -t registry.example/ml/tensorflow:2.19.1-gpu .
#
# CUDA comes with the packages; the driver is the node's. TensorFlow up to 2.19
# wants a base with Python 3.12 or older.
ARG BASE=goblinlab/base:1
FROM ${BASE}
ARG TENSORFLOW=2.19.1
ARG DEVICE=cpu
RUN case "${DEVICE}" in \
	cpu) pip install --no-cache-dir "tensorflow-cpu==${TENSORFLOW}" ;; \
	gpu) pip install --no-cache-dir "tensorflow[and-cuda]==${TENSORFLOW}" ;; \
	*) echo "DEVICE is ${DEVICE}; it must be cpu or gpu" >&2; exit 1 ;; \
	esac
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
