# A container that rechecks proofs of Coq, and fails when one does not hold; made beside the image of Containerfile:
#   podman build --format docker -t proofshelf-coq -f generator/package/recipes/Containerfile.coq .
#
#   podman run --rm --privileged -v ./proofs:/proofs -e RECHECK_KEY proofshelf-coq
#
# /proofs holds registry.yaml and what it names. The sandbox needs to make namespaces: hence --privileged, in a machine that has nothing else.
FROM proofshelf
USER root
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap coq git && rm -rf /var/lib/apt/lists/* \
  && git config --system --add safe.directory '*'
WORKDIR /proofs
HEALTHCHECK NONE
CMD ["registry", "recheck", "--require", "coq"]
