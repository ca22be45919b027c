# The Postgres of embedded mode, for clusters without one of their own. `npm run images -- postgres` stages the context: app/
# from the tree and the server's binaries of the npm package.
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS system
RUN echo 'seqpanel:x:10001:10001::/tmp:/usr/sbin/nologin' >> /etc/passwd && echo 'seqpanel:x:10001:' >> /etc/group \
  && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
# initdb wants a name for the user that it runs as, which a platform's own number does not have.
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libnss-wrapper \
  && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY app/ /app/

FROM system AS inventory
ARG NAME
ARG VERSION
COPY node /inventory/node
COPY sbom.ts licences.ts /inventory/
RUN /inventory/node /inventory/sbom.ts "$NAME" "$VERSION" > /inventory/sbom.json

FROM system
COPY --from=inventory /inventory/sbom.json /usr/share/seqpanel/sbom.json
ENV PATH=/app/native/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp PGDATA=/var/lib/postgresql/data/pgdata
USER 10001:10001
EXPOSE 5432
# Fast shutdown: sessions are ended, everything is written. SIGTERM would wait for the sessions.
STOPSIGNAL SIGINT
CMD ["/app/api/postgres/start"]
