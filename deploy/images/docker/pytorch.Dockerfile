# PyTorch for CPUs or GPUs, in the version that is asked for.
#
#   docker build -f deploy/images/docker/pytorch.Dockerfile \
#     --build-arg BASE=registry.example/goblinlab/base:1 \
#     --build-arg PYTORCH=2.8.0 --build-arg DEVICE=cu128 \
#     -t registry.example/ml/pytorch:2.8.0-cu128 .
#
# DEVICE is the name of PyTorch's index: cpu, or a version of CUDA as cu128.
# WHEELS may name a mirror of it. CUDA comes with the packages; the driver is the
# node's.
ARG BASE=goblinlab/base:1
FROM ${BASE}
ARG PYTORCH=2.8.0
ARG DEVICE=cpu
ARG WHEELS=https://download.pytorch.org/whl
RUN case "${DEVICE}" in \
	cpu|cu[0-9]*) pip install --no-cache-dir --index-url "${WHEELS}/${DEVICE}" "torch==${PYTORCH}" torchvision ;; \
	*) echo "DEVICE is ${DEVICE}; it must be cpu or a version of CUDA as cu128" >&2; exit 1 ;; \
	esac
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
