# The base of every development image for a registry: Python, JupyterLab, VS Code
# and sshd, started by goblin-init after the contract of docs/images.md.
#
#   docker build -f deploy/images/docker/base.Dockerfile -t registry.example/goblinlab/base:1 .
#
# PYTHON chooses the version of Python: frameworks support some of them only.
ARG GO=1.26
ARG NODE=24
ARG PYTHON=3.12

FROM golang:${GO}-trixie AS init
WORKDIR /src
COPY go.mod go.sum ./
COPY cmd/goblin-init cmd/goblin-init
COPY internal/devinit internal/devinit
COPY internal/fault internal/fault
COPY internal/files internal/files
COPY internal/mask internal/mask
RUN CGO_ENABLED=0 go build -trimpath -o /goblin-init ./cmd/goblin-init

FROM node:${NODE}-trixie AS code
RUN apt-get update \
	&& apt-get install -y --no-install-recommends g++ libkrb5-dev make openssl python3 \
	&& rm -rf /var/lib/apt/lists/*
COPY deploy/images/dev/code-server.sh deploy/images/dev/code-server.versions /recipe/
RUN sh /recipe/code-server.sh "$(dpkg --print-architecture)" /build /layer

FROM python:${PYTHON}-slim-trixie
ARG JUPYTERLAB=4.4.9
# The stand-alone sysusers keeps systemd out. sshd's host keys come from the platform.
RUN apt-get update \
	&& apt-get install -y --no-install-recommends \
		ca-certificates curl git less libgssapi-krb5-2 libstdc++6 nano openssh-server procps rsync \
		systemd-standalone-sysusers tzdata vim-tiny \
	&& rm -rf /var/lib/apt/lists/* /etc/ssh/ssh_host_* \
	&& mkdir -p /home/goblin /run/sshd \
	&& sed -i 's|^root:.*|root:x:0:0:root:/home/goblin:/bin/bash|' /etc/passwd
RUN pip install --no-cache-dir "jupyterlab==${JUPYTERLAB}" ipykernel numpy tensorboard
COPY --from=code /layer/ /
COPY --from=init /goblin-init /usr/local/bin/goblin-init
COPY deploy/images/dev/rootfs/ /
ENV LANG=C.UTF-8 HOME=/home/goblin SHELL=/bin/bash PIP_ROOT_USER_ACTION=ignore
WORKDIR /home/goblin
EXPOSE 22 6006 8080 8888 9999
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/goblin-init"]
