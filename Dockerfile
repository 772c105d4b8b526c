# The service in an image: docker build --build-arg VERSION_FLAGS="$(scripts/version --flags)" -t homeroom .
# The console is in the binary: its built files (web/dist) are part of the repository.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The repository is not in the image, so its version comes from outside.
ARG VERSION_FLAGS=
RUN CGO_ENABLED=0 go build -trimpath -tags nomsgpack $(scripts/compact) -ldflags "-s -w $VERSION_FLAGS" -o /out/homeroom ./cmd/homeroom

FROM debian:bookworm-slim
# Certificates for providers and S3, time zones for schools; nothing else is needed.
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates tzdata \
	&& rm -rf /var/lib/apt/lists/* \
	&& groupadd --system --gid 10001 homeroom \
	&& useradd --system --uid 10001 --gid homeroom --home-dir /var/lib/homeroom --shell /usr/sbin/nologin homeroom \
	&& install -d -o homeroom -g homeroom -m 0750 /var/lib/homeroom /var/lib/homeroom/files
COPY --from=build /out/homeroom /usr/local/bin/homeroom
COPY --from=build /src/THIRD_PARTY_NOTICES.md /usr/share/doc/homeroom/
USER homeroom
WORKDIR /var/lib/homeroom
VOLUME /var/lib/homeroom/files
EXPOSE 3001 9091
# A stop may take as long as the longest work that is not torn apart.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/homeroom", "health"]
ENTRYPOINT ["/usr/local/bin/homeroom"]
CMD ["serve"]
