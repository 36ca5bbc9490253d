#!/usr/bin/env bash
# Many nodes, one job: sbatch many-nodes.sh DECK [OPTIONS of sedge run]
# Change the lines that begin with #SBATCH to what your cluster has.
#SBATCH --job-name=sedge
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8     # ranks; a rank a NUMA domain is a good start
#SBATCH --cpus-per-task=4       # threads a rank
#SBATCH --time=04:00:00
#SBATCH --exclusive
#SBATCH --output=%x-%j.out

# The program stops before this time with a checkpoint and exit code 5; to go on, submit again.
# Slurm before 23.02 does not tell it to the job.
SLURM_JOB_END_TIME=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)}
export SLURM_JOB_END_TIME

export SEDGE_THREADS=$SLURM_CPUS_PER_TASK

# The output folder must lie on a file system that all nodes see. The cache of kernels may lie there
# too, or on each node: then every node compiles once.
# export SEDGE_CACHE_DIR=/tmp/sedge-$USER

# In the place of this script, so that it gets the signals and hands them to the ranks.
# srun where Slurm and MPI both speak PMIx (srun --mpi=list); else
# mpirun --map-by "slot:PE=$SLURM_CPUS_PER_TASK" in its place.
exec srun --mpi=pmix --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    "${SEDGE:-sedge}" run "$@" --restart auto
