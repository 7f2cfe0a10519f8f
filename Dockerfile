FROM python:3.11-slim-bookworm AS build
# requirements-mcp.lock adds what `croupier mcp` needs.
ARG LOCK=requirements.lock
WORKDIR /src
RUN python3 -m venv /opt/croupier
COPY requirements.lock requirements-mcp.lock ./
RUN /opt/croupier/bin/pip install --no-cache-dir --require-hashes -r "$LOCK"
COPY . ./
RUN /opt/croupier/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin croupier \
    && install -d -o croupier -g croupier -m 0700 /data /data/archive
COPY --from=build /opt/croupier /opt/croupier
ENV PATH=/opt/croupier/bin:$PATH HOST=0.0.0.0 PORT=8000 DATA_DIR=/data
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python3", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/livez', timeout=2)"]
# Alone it brings its own Redis; the files in deploy/ start the parts one by one.
CMD ["croupier", "run"]
